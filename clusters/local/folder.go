package local

import (
	"fmt"
	"os"
	"path/filepath"
)

// folder is the place of a fleet on disk.
type folder string

const (
	kubeconfigsFolder = "kubeconfigs" // <cluster>.yaml, administrators
	logsFolder        = "logs"        // <cluster>-<program>.log
	secretsFolder     = "secrets"     // keys, certificates, kubeconfigs of programs
	dataFolder        = "data"        // etcd
)

var subfolders = []string{kubeconfigsFolder, logsFolder, secretsFolder, dataFolder}

// prepare makes the subfolders and removes what a former fleet left in them. Nothing else in the
// folder is touched.
func (f folder) prepare() error {
	for _, name := range subfolders {
		path := filepath.Join(string(f), name)
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("clear %s: %w", path, err)
		}
		if err := os.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("make %s: %w", path, err)
		}
	}
	return nil
}

// remove deletes the folder, or all but its logs.
func (f folder) remove(keepLogs bool) error {
	if !keepLogs {
		return os.RemoveAll(string(f))
	}
	for _, name := range subfolders {
		if name == logsFolder {
			continue
		}
		if err := os.RemoveAll(filepath.Join(string(f), name)); err != nil {
			return err
		}
	}
	return nil
}

func (f folder) data() string { return filepath.Join(string(f), dataFolder) }

func (f folder) kubeconfig(cluster string) string {
	return filepath.Join(string(f), kubeconfigsFolder, cluster+".yaml")
}

func (f folder) log(cluster, program string) string {
	return filepath.Join(string(f), logsFolder, cluster+"-"+program+".log")
}

func (f folder) audit(cluster string) string {
	return filepath.Join(string(f), logsFolder, cluster+"-audit.jsonl")
}

// secret writes a file that only its owner may read and returns its path.
func (f folder) secret(cluster, name string, content []byte) (string, error) {
	path := filepath.Join(string(f), secretsFolder, cluster+"-"+name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("write %s of %q: %w", name, cluster, err)
	}
	return path, nil
}

// secretPair writes a certificate and its key as <name>.crt and <name>.key.
func (f folder) secretPair(cluster, name string, p pair) (cert, key string, err error) {
	if cert, err = f.secret(cluster, name+".crt", p.cert); err != nil {
		return "", "", err
	}
	key, err = f.secret(cluster, name+".key", p.key)
	return cert, key, err
}
