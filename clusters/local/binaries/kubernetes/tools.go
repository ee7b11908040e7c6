// Package kubernetes pins etcd and the Kubernetes programs of which the local fleet is made. It
// has no code: the imports keep their modules in go.mod, so that the versions are one reviewable list.
package kubernetes

import (
	_ "go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
)
