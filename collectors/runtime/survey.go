package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// surveyScript prints all containers, then all pod sandboxes.
const surveyScript = `crictl ps -a -o json && crictl pods -o json`

// survey begins to ask the node whose the containers are that it has by now. To
// ask for one once it has ended is too late where its pod is going, as those of
// a namespace that was given up just before do.
func (n *node) survey(ctx context.Context) {
	answer := make(chan map[string]*lookup, 1)
	n.surveyed = answer
	n.group.Go(func() {
		out, err := n.output(ctx, "asking crictl in the node for its containers", "sh", "-c", surveyScript)
		if err != nil {
			out = nil // each is asked for by itself then
		}
		found, err := parseSurvey(out)
		if err != nil {
			found = nil
		}
		answer <- found
	})
}

// learn waits for what the survey found, once.
func (n *node) learn() {
	if n.surveyed == nil {
		return
	}
	for id, l := range <-n.surveyed {
		if _, has := n.lookups[id]; !has {
			n.lookups[id] = l
		}
	}
	n.surveyed = nil
}

// parseSurvey reads the lists that crictl printed.
func parseSurvey(out []byte) (map[string]*lookup, error) {
	found := map[string]*lookup{}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var document struct {
			Containers []struct {
				ID     string            `json:"id"`
				Labels map[string]string `json:"labels"`
			} `json:"containers"`
			Sandboxes []struct {
				ID string `json:"id"`
			} `json:"items"`
		}
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading crictl's list of containers: %w", err)
		}
		for _, c := range document.Containers {
			found[c.ID] = known(identify(c.Labels))
		}
		for _, s := range document.Sandboxes {
			found[s.ID] = known(nil)
		}
	}
}
