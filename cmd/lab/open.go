package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/report/document"
)

// opened is what `lab open` needs beside the run.
type opened struct {
	documentFlags
	port      int
	noBrowser bool
	// page writes the page, browse opens an address in a browser.
	page   func(io.Writer, document.Document) error
	browse func(url string) error
}

// openCommand serves the page that page writes.
func (a *app) openCommand(page func(io.Writer, document.Document) error) *cobra.Command {
	o := opened{page: page, browse: browser.OpenURL}
	cmd := &cobra.Command{
		Use: "open [RUN]", Short: "Open a run in a browser", SuggestFor: []string{"browse", "serve"},
		Long: `Serves a run's page on the loopback address of this machine, which others cannot
reach, and opens it in a browser. Ctrl-C ends it. RUN is a run's ID, its folder,
or a file that ` + "`lab pack`" + ` wrote; without it, it is the last run.

If this machine has no browser, forward the port with ssh -L
PORT:127.0.0.1:PORT, or write the page to a file with
` + "`lab report --format html -o run.html`" + `.`,
		Example: "  lab open\n  lab open --no-browser --port 8080",
		Args:    optionalRun, ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			return a.openPage(ctx, runOf(args), o)
		},
	}
	o.documentFlags.add(a, cmd)
	cmd.Flags().IntVar(&o.port, "port", 0, "serve on this `PORT` (default: any free port)")
	cmd.Flags().BoolVar(&o.noBrowser, "no-browser", false, "do not open a browser; print the address only")
	return cmd
}

// leaving is how long a request may go on when the server ends.
const leaving = time.Second

// openPage serves until the context ends.
func (a *app) openPage(ctx context.Context, run string, o opened) error {
	d, err := a.document(run, o.documentFlags)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := o.page(&page, d); err != nil {
		return broken(err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port)))
	if err != nil {
		return usage("nothing can be served on port %d: %v", o.port, err)
	}
	address := listener.Addr().String()
	server := &http.Server{Handler: servePage(address, page.Bytes()), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	url := "http://" + address + "/"
	fmt.Fprintf(a.stdout, "Run %s is at %s until Ctrl-C.\n", d.Report.ID, url)
	if !o.noBrowser {
		if err := o.browse(url); err != nil {
			fmt.Fprintf(a.stderr, "lab: no browser could be opened: %v. Open the address in one.\n", err)
		}
	}
	select {
	case err := <-failed:
		return broken(fmt.Errorf("serving the page: %w", err))
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	if err := server.Shutdown(ending); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return broken(fmt.Errorf("ending to serve the page: %w", err))
	}
	return nil
}

// servePage answers for one page at one address. Who asks for another host is
// refused, so that no site can have its name point here and read the page.
func servePage(address string, page []byte) http.Handler {
	_, port, _ := net.SplitHostPort(address)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != address && r.Host != "localhost:"+port {
			http.Error(w, "this is not for "+strconv.Quote(r.Host), http.StatusMisdirectedRequest)
			return
		}
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
	})
}
