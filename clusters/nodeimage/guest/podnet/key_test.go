package main

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"
)

// keyOf is the private key of a test server's own certificate.
func keyOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
