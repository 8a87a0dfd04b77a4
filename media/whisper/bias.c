#include "bias.h"

// rc_child returns the node to which a token leads from a node, or -1.
static int32_t rc_child(const rc_bias *bias, int32_t node, int32_t token) {
	int32_t low = bias->first[node], end = bias->first[node + 1], high = end;
	while (low < high) {
		int32_t middle = low + (high - low) / 2;
		if (bias->edges[middle].token < token)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && bias->edges[low].token == token ? bias->edges[low].node : -1;
}

static void rc_raise_children(const rc_bias *bias, int32_t node, float *logits) {
	for (int32_t i = bias->first[node]; i < bias->first[node + 1]; i++)
		logits[bias->edges[i].token] += bias->edges[i].bonus;
}

void rc_raise_logits(const rc_bias *bias, const whisper_token_data *tokens, int n, float *logits) {
	rc_raise_children(bias, 0, logits);
	for (int length = 1; length < bias->depth && length <= n; length++) {
		int32_t node = 0;
		for (int i = n - length; i < n && node >= 0; i++)
			node = rc_child(bias, node, tokens[i].id);
		if (node >= 0)
			rc_raise_children(bias, node, logits);
	}
}
