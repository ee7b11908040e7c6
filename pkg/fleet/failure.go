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
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Failure says which condition of a member an error makes False, and with which reason.
type Failure struct {
	// Condition is ConditionReachable, ConditionBootstrapped or ConditionCompatible of v1alpha1.
	Condition string
	// Reason is one of the condition's reasons for False.
	Reason string
	// Err is the cause; its text is the condition's message.
	Err error
}

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Explain says why a call to a member failed, in the same words at every retry.
func Explain(err error) string { return classify(err).Error() }

// classify says what an error means for the member. Messages are the same at every retry, so that a failing member
// does not look like a changing one.
func classify(err error) *Failure {
	var known *Failure
	var link *url.Error
	var refused *net.OpError
	switch {
	case errors.As(err, &known):
		return known
	case apierrors.IsUnauthorized(err):
		return unreachable(v1alpha1.ReasonUnauthorized, err)
	case apierrors.IsForbidden(err):
		return &Failure{v1alpha1.ConditionBootstrapped, v1alpha1.ReasonForbidden, err}
	case isTLS(err):
		return unreachable(v1alpha1.ReasonInvalidCredentials, fmt.Errorf("TLS: %w", untimed(innermost(err))))
	case isTimeout(err):
		return unreachable(v1alpha1.ReasonUnreachable, fmt.Errorf("the API server%s did not answer in time", address(err)))
	case errors.As(err, &refused):
		return unreachable(v1alpha1.ReasonUnreachable, stable(refused))
	case errors.As(err, &link), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return unreachable(v1alpha1.ReasonUnreachable, innermost(err))
	}
	return &Failure{v1alpha1.ConditionBootstrapped, v1alpha1.ReasonBootstrapFailed, err}
}

func unreachable(reason string, err error) *Failure {
	return &Failure{v1alpha1.ConditionReachable, reason, err}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func isTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var header tls.RecordHeaderError
	var op *net.OpError
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.As(err, &invalid) || errors.As(err, &header) ||
		errors.As(err, &op) && op.Op == "remote error" // an alert that the server sent, such as "bad certificate"
}

// stable leaves out our own port, which is another one at each attempt.
func stable(op *net.OpError) error {
	if lookup := (*net.DNSError)(nil); errors.As(op.Err, &lookup) && strings.Contains(lookup.Err, "->") {
		return fmt.Errorf("%s: lookup %s: the name server does not answer", op.Op, lookup.Name)
	}
	if op.Addr == nil {
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	return fmt.Errorf("%s %s: %w", op.Op, op.Addr, op.Err)
}

// untimed leaves out the current time, which the error of a certificate that has expired names.
func untimed(err error) error {
	var invalid x509.CertificateInvalidError
	if !errors.As(err, &invalid) || invalid.Reason != x509.Expired {
		return err
	}
	return fmt.Errorf("the certificate has expired or is not yet valid: it is for %s to %s",
		invalid.Cert.NotBefore.UTC().Format(time.RFC3339), invalid.Cert.NotAfter.UTC().Format(time.RFC3339))
}

// address is that of the server which an HTTP request went to, with a space before it; "" if err does not say.
func address(err error) string {
	var link *url.Error
	if !errors.As(err, &link) {
		return ""
	}
	to, err := url.Parse(link.URL)
	if err != nil || to.Host == "" {
		return ""
	}
	return " " + to.Host
}

// innermost leaves out the method and address that http puts before an error.
func innermost(err error) error {
	var link *url.Error
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
