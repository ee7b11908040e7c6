package world

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const pollInterval = 50 * time.Millisecond

// Poll calls check until it returns nil. When ctx ends before, the error has what check said last.
func Poll(ctx context.Context, check func(context.Context) error) error {
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last: %w", context.Cause(ctx), err)
		case <-time.After(pollInterval):
		}
	}
}

// IsTrue says why a condition is not True.
func IsTrue(conditions []metav1.Condition, kind, of string) error {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil {
		return fmt.Errorf("%s has no condition %s", of, kind)
	}
	if c.Status != metav1.ConditionTrue {
		return fmt.Errorf("%s: %s is %s, %s: %s", of, kind, c.Status, c.Reason, c.Message)
	}
	return nil
}
