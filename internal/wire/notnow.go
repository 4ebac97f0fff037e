package wire

// NotNow is our addition to the plain replies of the request server (Salt wire
// reference §4): the master can take nothing just now, whatever is in it. A Python
// peer takes any short text where ciphertext was due for keys that are out of date:
// it signs in, sends once more, and what it sent counts as not acknowledged.
const NotNow = "Not now, send it again"
