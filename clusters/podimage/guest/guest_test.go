package guest

import (
	"os"
	"testing"

	"github.com/kind-lab/lab/clusters/internal/guesttest"
)

func TestSourcesAreWhole(t *testing.T) { guesttest.SourcesAreWhole(t, os.DirFS("."), Sources()) }
