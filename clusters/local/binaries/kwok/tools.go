// Package kwok pins kwok, which simulates the nodes and kubelets of the local fleet. It is a module
// of its own because it needs older Kubernetes libraries than the control plane beside it.
package kwok

import _ "sigs.k8s.io/kwok/pkg/kwok/cmd"
