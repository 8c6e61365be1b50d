package objects

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
)

// Refusal tells what the API server refused, a *step.RefusedError, from what it
// could not be asked. doing says what was being done to the object, such as
// "applying". A kind that the server has not is a refusal too.
func Refusal(object collectors.Object, doing string, err error) error {
	refused := &step.RefusedError{Object: object}
	var status apierrors.APIStatus
	switch {
	case meta.IsNoMatchError(err):
		refused.Code, refused.Reason, refused.Message = http.StatusNotFound, "NotFound", err.Error()
		return refused
	case errors.As(err, &status) && refuses(int(status.Status().Code)):
		s := status.Status()
		refused.Code, refused.Reason, refused.Message = int(s.Code), string(s.Reason), s.Message
		return refused
	}
	return fmt.Errorf("%s %s %q: %w", doing, object.Kind, object.Name, err)
}

// refuses says whether a status means no, and not "not now".
func refuses(code int) bool {
	return code >= 400 && code < 500 && code != http.StatusTooManyRequests
}

// NotFound says whether the error is that there is no such object.
func NotFound(err error) bool {
	var refused *step.RefusedError
	return apierrors.IsNotFound(err) || errors.As(err, &refused) && refused.Code == http.StatusNotFound
}
