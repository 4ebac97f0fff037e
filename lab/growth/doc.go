// Package growth plays one job in trees of growing size and draws how its time, messages, memory and
// rows grow.
//
//	shape.go     the trees
//	measure.go   one point: a simulation
//	point.go     what is measured, as CSV
//	pictures.go  the charts
package growth
