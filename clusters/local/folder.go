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

// marker is a file that says that the subfolders belong to a fleet and may be removed.
const marker = ".lwsfed-fleet"

// prepare makes the subfolders and removes what a former fleet left in them. It refuses subfolders
// that no fleet made. Nothing else in the folder is touched.
func (f folder) prepare() error {
	if !f.owned() {
		for _, name := range subfolders {
			if isFolder(filepath.Join(string(f), name)) {
				return fmt.Errorf("folder %s has a %q that no fleet made", string(f), name)
			}
		}
	}
	if err := f.clear(false); err != nil {
		return err
	}
	for _, name := range subfolders {
		path := filepath.Join(string(f), name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("make %s: %w", path, err)
		}
	}
	return os.WriteFile(filepath.Join(string(f), marker), nil, 0o600)
}

func (f folder) owned() bool {
	_, err := os.Stat(filepath.Join(string(f), marker))
	return err == nil
}

// clear removes the subfolders, or all of them but the logs.
func (f folder) clear(keepLogs bool) error {
	for _, name := range subfolders {
		if keepLogs && name == logsFolder {
			continue
		}
		path := filepath.Join(string(f), name)
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("clear %s: %w", path, err)
		}
	}
	return nil
}

// remove deletes what the fleet made, with or without its logs, and the folder if it is then empty.
func (f folder) remove(keepLogs bool) error {
	if err := f.clear(keepLogs); err != nil || keepLogs {
		return err
	}
	if err := os.Remove(filepath.Join(string(f), marker)); err != nil {
		return fmt.Errorf("remove the marker of the fleet: %w", err)
	}
	_ = os.Remove(string(f)) // fails if the caller keeps other files there
	return nil
}

// Clear removes what a fleet whose process was killed left in a folder. A folder without traces of a
// fleet is left alone. It must not be called while the fleet runs.
func Clear(dir string) error {
	f := folder(dir)
	if !f.owned() {
		return nil
	}
	return f.remove(false)
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
