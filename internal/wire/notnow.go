package wire

// NotNow is an addition of mom to the plain replies of the request server (Salt wire reference
// §4): the master accepts no request at the moment, whatever its content. A Python peer takes
// any short text in place of ciphertext as a sign that its keys are out of date: it signs in,
// sends once more, and treats the request as not acknowledged.
const NotNow = "Not now, send it again"
