// Package release holds the scripts that build a release into build/release (`make release`)
// and show that a second build gives the same bytes (`make release-check`).
package release
