package main

import (
	"fmt"

	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller/member"
	"github.com/lwsfed/lwsfed/pkg/controller/member/leaderpod"
	"github.com/lwsfed/lwsfed/pkg/controller/member/leaderworkerset"
	"github.com/lwsfed/lwsfed/pkg/controller/membercluster"
	"github.com/lwsfed/lwsfed/pkg/controller/placement"
	"github.com/lwsfed/lwsfed/pkg/controller/propagation"
	"github.com/lwsfed/lwsfed/pkg/controller/rollout"
	"github.com/lwsfed/lwsfed/pkg/controller/status"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/history"
)

// addControllers registers all of them: what joins the manager after its start would miss members.
func addControllers(mgr mcmanager.Manager, members *fleet.Fleet, hubID string) error {
	hub := mgr.GetLocalManager()
	recorder := hub.GetEventRecorder(v1alpha1.FieldManager)
	scope := member.Scope{HubID: hubID, GetCluster: mgr.GetCluster, Workloads: members.Workloads, Store: history.Store{Hub: hub.GetClient()}, Fleet: members}
	outcomes := &propagation.Outcomes{}
	for name, controller := range map[string]interface {
		SetupWithManager(mgr mcmanager.Manager) error
	}{
		"membercluster":   &membercluster.Reconciler{Client: hub.GetClient(), Recorder: recorder, Fleet: members},
		"placement":       &placement.Reconciler{},
		"propagation":     &propagation.Reconciler{HubID: hubID, Fleet: members, Outcomes: outcomes},
		"rollout":         &rollout.Reconciler{HubID: hubID, Client: hub.GetClient(), Live: hub.GetAPIReader(), GetCluster: mgr.GetCluster},
		"status":          &status.Reconciler{HubID: hubID, Client: hub.GetClient(), Fleet: members, Outcomes: outcomes},
		"leaderworkerset": &leaderworkerset.Reconciler{Scope: scope},
		"leaderpod":       &leaderpod.Reconciler{Scope: scope},
	} {
		if err := controller.SetupWithManager(mgr); err != nil {
			return fmt.Errorf("set up controller %s: %w", name, err)
		}
	}
	return nil
}
