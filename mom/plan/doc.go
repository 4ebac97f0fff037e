// Package plan is the command mom plan: it asks package topology/plan which tree to
// build, with unit costs as they are known or measured on this machine (calibrate.go).
package plan
