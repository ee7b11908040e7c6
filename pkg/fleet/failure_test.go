package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// link is what http makes of an error.
func link(err error) error {
	return &url.Error{Op: "Get", URL: "https://member:6443/readyz", Err: err}
}

// socket is an error of a connection from one of our ports.
func socket(op string, port int, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: port}, Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: 6443}, Err: err}
}

func call(name string, err error) error { return os.NewSyscallError(name, err) }

func TestClassify(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	known := &Failure{v1alpha1.ConditionCompatible, v1alpha1.ReasonVersionTooOld, errors.New("too old")}
	verify := func(err error) error { return link(&tls.CertificateVerificationError{Err: err}) }
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a failure":                {known, "Compatible VersionTooOld: too old"},
		"a failure, wrapped":       {fmt.Errorf("prepare: %w", known), "Compatible VersionTooOld: too old"},
		"a failure by name alone":  {unreachable("X", io.EOF), "Reachable X: EOF"},
		"unauthorized":             {apierrors.NewUnauthorized("who?"), "Reachable Unauthorized: who?"},
		"forbidden":                {apierrors.NewForbidden(pods, "", errors.New("no right")), "Bootstrapped Forbidden: pods is forbidden: no right"},
		"forbidden, wrapped":       {fmt.Errorf("list: %w", apierrors.NewForbidden(pods, "", errors.New("no"))), "Bootstrapped Forbidden: list: pods is forbidden: no"},
		"the server is broken":     {apierrors.NewInternalError(errors.New("etcd")), "Bootstrapped BootstrapFailed: Internal error occurred: etcd"},
		"anything else":            {errors.New("what"), "Bootstrapped BootstrapFailed: what"},
		"refused":                  {link(socket("dial", 40001, call("connect", syscall.ECONNREFUSED))), "Reachable Unreachable: dial 10.0.0.2:6443: connect: connection refused"},
		"reset":                    {link(socket("read", 40001, call("read", syscall.ECONNRESET))), "Reachable Unreachable: read 10.0.0.2:6443: read: connection reset by peer"},
		"deadline":                 {link(context.DeadlineExceeded), "Reachable Unreachable: the API server member:6443 did not answer in time"},
		"deadline, wrapped":        {fmt.Errorf("prepare: %w", context.DeadlineExceeded), "Reachable Unreachable: the API server did not answer in time"},
		"timeout of a socket":      {link(socket("dial", 40001, os.ErrDeadlineExceeded)), "Reachable Unreachable: the API server member:6443 did not answer in time"},
		"timeout of a name server": {link(&net.OpError{Op: "dial", Err: &net.DNSError{Name: "m", IsTimeout: true}}), "Reachable Unreachable: the API server member:6443 did not answer in time"},
		"hung up":                  {link(io.EOF), "Reachable Unreachable: EOF"},
		"hung up in an answer":     {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), "Reachable Unreachable: read: unexpected EOF"},
		"plain HTTP":               {link(errors.New("http: server gave HTTP response to HTTPS client")), "Reachable Unreachable: http: server gave HTTP response to HTTPS client"},
		"no host":                  {link(&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "member", IsNotFound: true}}), "Reachable Unreachable: dial: lookup member: no such host"},
		"an unknown authority":     {verify(x509.UnknownAuthorityError{}), "Reachable InvalidCredentials: TLS: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		"no TLS at all":            {link(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), "Reachable InvalidCredentials: TLS: tls: first record does not look like a TLS handshake"},
		"the server refuses our certificate": {
			link(&net.OpError{Op: "remote error", Err: tls.AlertError(42)}), "Reachable InvalidCredentials: TLS: remote error: tls: bad certificate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := classify(c.err)
			if diff := cmp.Diff(c.want, fmt.Sprintf("%s %s: %s", f.Condition, f.Reason, f)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Each pair is what two attempts one after the other give. What differs is not the member's.
func TestMessagesAreTheSameAtEveryRetry(t *testing.T) {
	certificate := newFakeServer(t, nil).Certificate()
	expired := func(n int) error {
		_, err := certificate.Verify(x509.VerifyOptions{CurrentTime: certificate.NotAfter.Add(time.Duration(n) * time.Second)})
		return link(&tls.CertificateVerificationError{Err: err})
	}
	nobody := refusing(t)
	nameServer := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", nobody)
	}}
	lookup := func(int) error {
		_, err := (&net.Dialer{Resolver: nameServer}).DialContext(t.Context(), "tcp", "member.example:6443")
		return link(err)
	}
	for name, attempt := range map[string]func(int) error{
		"refused":                    func(n int) error { return link(socket("dial", 40000+n, syscall.ECONNREFUSED)) },
		"reset":                      func(n int) error { return fmt.Errorf("list: %w", link(socket("read", 40000+n, syscall.ECONNRESET))) },
		"timeout":                    func(n int) error { return link(socket("read", 40000+n, os.ErrDeadlineExceeded)) },
		"an expired certificate":     expired,
		"a name server that is away": lookup,
	} {
		t.Run(name, func(t *testing.T) {
			first, second := attempt(1), attempt(2)
			if first.Error() == second.Error() && name != "timeout" {
				t.Fatalf("both attempts give %q", first)
			}
			if diff := cmp.Diff(classify(first).Error(), classify(second).Error()); diff != "" {
				t.Errorf("-first +second:\n%s", diff)
			}
		})
	}
}

// refusing is an address where nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.LocalAddr().String()
}

func TestAFailureKeepsItsCause(t *testing.T) {
	if err := classify(link(io.EOF)); !errors.Is(err, io.EOF) {
		t.Errorf("%v does not lead to its cause", err)
	}
}
