package v1alpha1

import "strings"

// MaxMessage is the most bytes of a message that lwsfed writes into a status.
const MaxMessage = 1024

// Message cuts a message that is longer than MaxMessage, between two characters, and marks the cut with dots.
func Message(s string) string {
	if len(s) <= MaxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:MaxMessage-3], "") + "..."
}
