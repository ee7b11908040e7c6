package fleet

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// capacityPage is how many nodes one request reads.
const capacityPage = 250

// readCapacity adds up the member's nodes, page by page.
func readCapacity(ctx context.Context, reader client.Reader) (*v1alpha1.Capacity, error) {
	var total v1alpha1.Capacity
	var page corev1.NodeList
	for {
		if err := reader.List(ctx, &page, client.Limit(capacityPage), client.Continue(page.Continue)); err != nil {
			return nil, fmt.Errorf("list nodes: %w", err)
		}
		addNodes(&total, page.Items)
		if page.Continue == "" {
			return &total, nil
		}
	}
}

// addNodes counts nodes and their extended resources, which are those with a domain that is not Kubernetes' own.
func addNodes(total *v1alpha1.Capacity, nodes []corev1.Node) {
	total.Nodes += int32(len(nodes))
	for i := range nodes {
		for name, quantity := range nodes[i].Status.Allocatable {
			domain, _, ok := strings.Cut(string(name), "/")
			if !ok || domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io") || quantity.IsZero() {
				continue
			}
			if total.Accelerators == nil {
				total.Accelerators = corev1.ResourceList{}
			}
			sum := total.Accelerators[name]
			sum.Add(quantity)
			total.Accelerators[name] = sum
		}
	}
}
