package api

import (
	"github.com/momtree/mom/value"
)

// The tags of the API's own events.
const (
	tagGap  = "mom/api/gap"  // events before this one are no longer kept
	tagSlow = "mom/api/slow" // the reader is cut off
	tagLost = "mom/api/lost" // the bus of the master was lost for a while
	tagEnd  = "mom/api/end"  // the stream ends
)

// noticeData encodes an event of the API itself.
func noticeData(tag string, data *value.Map) []byte {
	b, err := encode(asJSON, value.NewMap("data", data, "tag", tag))
	if err != nil {
		return []byte(`{"data": {}, "tag": "` + tag + `"}`) // unreachable: all values are ours
	}
	return b
}
