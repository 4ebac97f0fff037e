// Package rendering makes the engines that render what a master renders: pillars,
// reactions and orchestrations.
package rendering
