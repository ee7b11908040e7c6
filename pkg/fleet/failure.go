package fleet

// Failure says which condition of a member an error makes False, and with which reason.
type Failure struct {
	// Condition is ConditionReachable, ConditionBootstrapped or ConditionCompatible of v1alpha1.
	Condition string
	// Reason is one of the condition's reasons for False.
	Reason string
	// Err is the cause; its text is the condition's message.
	Err error
}

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }
