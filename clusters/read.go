package clusters

import "encoding/json"

// UnmarshalJSON reads a Handle, also one of an older lab: it had "watched" and
// "reached" for what could be done with the nodes of a cluster that lab did not
// make, and nothing for a cluster that lab made.
func (h *Handle) UnmarshalJSON(text []byte) error {
	type plain Handle
	var old struct {
		Watched      bool            `json:"watched"`
		Reached      bool            `json:"reached"`
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(text, (*plain)(h)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &old); err != nil {
		return err
	}
	if old.Capabilities == nil {
		h.Capabilities.CanWatchNodes, h.Capabilities.CanExecOnNodes = old.Watched, old.Reached
	}
	return nil
}
