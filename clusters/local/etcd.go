package local

import (
	"context"
	"fmt"
	"path/filepath"
)

// store is the etcd that holds every cluster of a fleet, each under its own prefix.
type store struct {
	program  *program
	port     int
	ca       string // paths of the files with which an API server connects
	cert     string
	key      string
	peerPort int
}

const storeName = "store"

func (f *Fleet) startStore(ctx context.Context) error {
	authority, err := newAuthority(storeName)
	if err != nil {
		return err
	}
	serving, err := authority.server()
	if err != nil {
		return err
	}
	servingCert, servingKey, err := f.folder.secretPair(storeName, "server", serving)
	if err != nil {
		return err
	}
	s := &store{}
	if s.ca, err = f.folder.secret(storeName, "ca.crt", authority.pem); err != nil {
		return err
	}
	identity, err := authority.client("kube-apiserver")
	if err != nil {
		return err
	}
	if s.cert, s.key, err = f.folder.secretPair(storeName, "client", identity); err != nil {
		return err
	}
	s.program = f.program(storeName, etcdProgram)
	f.store = s
	return f.retryOnClash(s.program, func() error {
		if s.port, err = f.ports.next(); err != nil {
			return err
		}
		if s.peerPort, err = f.ports.next(); err != nil {
			return err
		}
		s.program.args = s.arguments(f.folder.data(), servingCert, servingKey)
		return s.program.startAndWait(ctx, listening(s.port))
	})
}

// arguments trade durability for speed: the data of a fleet does not outlive its processes.
func (s *store) arguments(data, servingCert, servingKey string) []string {
	client := fmt.Sprintf("https://127.0.0.1:%d", s.port)
	peer := fmt.Sprintf("https://127.0.0.1:%d", s.peerPort)
	return []string{
		"--name=" + storeName,
		"--data-dir=" + filepath.Join(data, etcdProgram),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=" + storeName + "=" + peer,
		"--client-cert-auth", "--trusted-ca-file=" + s.ca,
		"--cert-file=" + servingCert, "--key-file=" + servingKey,
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + s.ca,
		"--peer-cert-file=" + servingCert, "--peer-key-file=" + servingKey,
		"--unsafe-no-fsync",
		"--quota-backend-bytes=8589934592",
		"--snapshot-count=20000",
		"--log-level=warn",
	}
}

func (s *store) url() string { return fmt.Sprintf("https://127.0.0.1:%d", s.port) }
