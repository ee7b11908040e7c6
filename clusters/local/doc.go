// Package local runs a fleet of real Kubernetes control planes as processes of this machine.
package local
