// Package crd has the custom resource definitions, for the hub to install in members.
package crd

import _ "embed"

// LeaderWorkerSets is the YAML of the definition that members need.
//
//go:embed leaderworkerset.x-k8s.io_leaderworkersets.yaml
var LeaderWorkerSets []byte
