package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// needs are the images that labs need and that take long to build, by lab. A
// lab is run only if they are there.
type needs map[string][]string

// String is the flag's value.
func (n needs) String() string {
	var all []string
	for lab, images := range n {
		for _, image := range images {
			all = append(all, lab+"="+image)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// Set adds LAB=IMAGE, or several with commas between them.
func (n needs) Set(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		lab, image, ok := strings.Cut(strings.TrimSpace(one), "=")
		switch {
		case !ok && lab == "":
		case !ok || lab == "" || image == "":
			return fmt.Errorf("%q is not of the form LAB=IMAGE", one)
		default:
			n[lab] = append(n[lab], image)
		}
	}
	return nil
}

// missing returns, by lab, the images that the container engine does not have.
func (b batch) missing() (map[string][]string, error) {
	if len(b.needs) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	list := b.command("image", "list", "-json")
	list.Stdout = &out
	if err := list.Run(); err != nil {
		return nil, fmt.Errorf("listing the images: %w", err)
	}
	var inventory struct {
		Images []struct {
			Ref string `json:"ref"`
		} `json:"images"`
	}
	if err := json.Unmarshal(out.Bytes(), &inventory); err != nil {
		return nil, fmt.Errorf("listing the images: %w", err)
	}
	there := map[string]bool{}
	for _, image := range inventory.Images {
		there[image.Ref] = true
	}
	missing := map[string][]string{}
	for lab, images := range b.needs {
		for _, image := range images {
			if !there[image] {
				missing[lab] = append(missing[lab], image)
			}
		}
	}
	return missing, nil
}
