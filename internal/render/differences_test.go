package render_test

// different are the cases of the corpus whose results are not Salt's, with the reason.
var different = map[string]string{}
