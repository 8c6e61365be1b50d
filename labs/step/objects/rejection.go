package objects

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step/failure"
)

// Rejection tells a rejection of what was asked for, a *failure.Rejection, from an
// answer that says nothing about it, and from what could not be asked. doing
// says what was being done to the object, such as "applying". A kind that the
// server does not have is a rejection, too.
func Rejection(object collectors.Object, doing string, err error) error {
	refused := &failure.Rejection{Object: object}
	var status apierrors.APIStatus
	switch {
	case meta.IsNoMatchError(err):
		refused.Code, refused.Reason, refused.Message = http.StatusNotFound, "NotFound", err.Error()
		return refused
	case errors.As(err, &status) && rejects(status.Status()):
		s := status.Status()
		refused.Code, refused.Reason, refused.Message = int(s.Code), string(s.Reason), s.Message
		return refused
	case errors.As(err, &status) && status.Status().Code != 0:
		s := status.Status()
		return fmt.Errorf("%s %s %q: the API server answered %s, which does not reject the object: %w",
			doing, object.Kind, object.Name, strings.TrimSpace(fmt.Sprint(s.Code, " ", s.Reason)), err)
	}
	return fmt.Errorf("%s %s %q: %w", doing, object.Kind, object.Name, err)
}

// rejects says whether an answer of the API server means that it understood
// what was asked for and will not have it. Others say something of the server
// or of the moment: 401 that the client is not known, 409 that the object
// changed meanwhile, 429 that there is too much to do, 408, 410 and 5xx that it
// could not be done now. The same request may pass when it is sent again.
func rejects(s metav1.Status) bool {
	if ofAdmission(s.Message) {
		return true
	}
	switch s.Code {
	case http.StatusForbidden:
		return !ofAuthorizer(s.Message)
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// ofAdmission says whether a webhook or a policy denied the request: they may
// choose any status code. A patch of type apply with a field that does not exist
// is answered with 500, without a reason.
func ofAdmission(message string) bool {
	return strings.HasPrefix(message, "admission webhook ") && strings.Contains(message, " denied the request") ||
		strings.Contains(message, "ValidatingAdmissionPolicy ") && strings.Contains(message, " denied request") ||
		strings.HasPrefix(message, "failed to create typed patch object (")
}

// ofAuthorizer says whether a 403 is about who asks, and not about the object:
// what the API server's authorizers answer.
func ofAuthorizer(message string) bool {
	_, reason, found := strings.Cut(message, "forbidden: User ")
	return found && strings.Contains(reason, " cannot ")
}

// NotFound says whether the error is that there is no such object.
func NotFound(err error) bool {
	var refused *failure.Rejection
	return apierrors.IsNotFound(err) || errors.As(err, &refused) && refused.Code == http.StatusNotFound
}
