package exec

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/kind-lab/lab/labs/step"
)

func TestWhatIsKeptOfAnOutput(t *testing.T) {
	full := strings.Repeat("x", step.MaxOutput)
	for name, tt := range map[string]struct {
		writes []string
		want   string
		cut    bool
	}{
		"nothing":                       {nil, "", false},
		"in parts":                      {[]string{"a", "", "b\n"}, "ab\n", false},
		"no text":                       {[]string{"a\xffb"}, "a\uFFFDb", false},
		"a letter in two parts":         {[]string{"\xc3", "\xa9"}, "é", false},
		"as much as is kept":            {[]string{full}, full, false},
		"one byte more":                 {[]string{full, "y"}, full + "\n[cut: 1 bytes more]\n", true},
		"more in one part":              {[]string{full + "yyy"}, full + "\n[cut: 3 bytes more]\n", true},
		"more after it was full":        {[]string{full, "y", "zz"}, full + "\n[cut: 3 bytes more]\n", true},
		"a letter that is cut in two":   {[]string{full[1:] + "é"}, full[1:] + "\n[cut: 2 bytes more]\n", true},
		"a letter of which a byte fits": {[]string{full[2:] + "東"}, full[2:] + "\n[cut: 3 bytes more]\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			o := &output{}
			for _, w := range tt.writes {
				if n, err := o.Write([]byte(w)); n != len(w) || err != nil {
					t.Errorf("%d of %d bytes, %v", n, len(w), err)
				}
			}
			if got := o.String(); got != tt.want || o.cut() != tt.cut {
				t.Errorf("%d bytes, cut %t, which end in %q; want %q", len(got), o.cut(), got[max(0, len(got)-30):], tt.want[max(0, len(tt.want)-30):])
			}
		})
	}
}

// TestAnOutputIsBoundedWhateverItIs holds that text made of what is no text is not
// longer than any other.
func TestAnOutputIsBoundedWhateverItIs(t *testing.T) {
	for name, pattern := range map[string]string{"letters": "é", "no text": "\xff", "mixed": "a\xff", "cut letters": "東\xe6\x9d"} {
		o := &output{}
		if _, err := o.Write(bytes.Repeat([]byte(pattern), step.MaxOutput)); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(o.String(), "\n[cut: ")
		if len(text) > step.MaxOutput || !utf8.ValidString(text) {
			t.Errorf("%s: %d bytes, the bound is %d", name, len(text), step.MaxOutput)
		}
	}
}

func TestSeveralMayWriteAtOnce(t *testing.T) {
	o := &output{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				fmt.Fprintf(o, "%d\n", i)
			}
		})
	}
	wg.Wait()
	for i := range 8 {
		if n := strings.Count(o.String(), fmt.Sprintf("%d\n", i)); n != 100 {
			t.Errorf("%d of the 100 lines of writer %d are there", n, i)
		}
	}
}
