// Package target decides which minions a target matches.
//
// An expression is parsed once into an Expr and then matched against many subjects. The kinds
// of targets and their rules are Salt's: glob (Python's fnmatch), pcre, list, grain,
// grain_pcre, pillar, pillar_pcre, pillar_exact, compound, nodegroup and ipcidr. A master does
// not always know the grains and pillar of a minion, so besides Match there is Certain, which
// distinguishes "no" from "unknown".
package target
