package leaderpod

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// memberWith is a member that has the objects; nil ones are left out.
func memberWith(objects ...client.Object) client.WithWatch {
	b := fake.NewClientBuilder().WithScheme(fleet.NewScheme()).WithIndex(&corev1.Pod{}, fleet.IndexOwner, func(o client.Object) []string {
		if owner := metav1.GetControllerOf(o); owner != nil {
			return []string{string(owner.UID)}
		}
		return nil
	})
	for _, o := range objects {
		b = b.WithObjects(o)
	}
	return b.Build()
}

// objects are all that a member shows of the group.
func (o *observation) objects() []client.Object {
	all := []client.Object{o.set, o.leader}
	if o.workers != nil {
		all = append(all, o.workers)
	}
	if o.service != nil {
		all = append(all, o.service)
	}
	for _, pod := range o.pods {
		all = append(all, pod)
	}
	return all
}

// building acts on the group as observed, in a member that has the objects.
func building(o *observation, member client.Client) (*builder, *events.FakeRecorder) {
	recorder := events.NewFakeRecorder(10)
	return &builder{client: member, live: member, recorder: recorder, observation: o}, recorder
}

// said are the events so far.
func said(recorder *events.FakeRecorder) []string {
	var all []string
	for len(recorder.Events) > 0 {
		all = append(all, <-recorder.Events)
	}
	return all
}

// mustGet returns nil for what is not there.
func mustGet[T client.Object](t *testing.T, member client.Client, name string, o T) T {
	t.Helper()
	got, err := get(t.Context(), member, client.ObjectKey{Namespace: "serving", Name: name}, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
