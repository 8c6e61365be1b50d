package images

import (
	"errors"
	"fmt"
)

// ErrNoImage says that an image is not in the engine, cannot be pulled and
// cannot be built here. The error is a *NoImageError.
var ErrNoImage = errors.New("image is not available")

// NoImageError is an ErrNoImage that names the image and what was tried.
type NoImageError struct {
	// Image is the reference that was asked for.
	Image string
	// Registry is what the registry answered, in one line.
	Registry string
	// Build is why it cannot be built here, in one line.
	Build string
}

// Error says what was tried and what to do.
func (e *NoImageError) Error() string {
	return fmt.Sprintf("image %s is not available: pulling it failed (%s), and it cannot be built here (%s); load it into the engine, or name an image that is there",
		e.Image, e.Registry, e.Build)
}

// Is makes it an ErrNoImage.
func (e *NoImageError) Is(target error) bool { return target == ErrNoImage }
