#ifndef ROUGHCUT_BIAS_H
#define ROUGHCUT_BIAS_H

#include <whisper.h>

// rc_edge leads from a node of a tree of terms to another one by a token.
typedef struct {
	int32_t token, node;
	float bonus; // for the logit of the token
} rc_edge;

// rc_bias is a prefix tree of terms. Node 0 is the root. The edges of node n are those from first[n] to before first[n + 1],
// sorted by token.
typedef struct {
	const rc_edge *edges;
	const int32_t *first;
	int depth; // the most tokens that a term can have
} rc_bias;

// rc_raise_logits adds the bonuses of the tokens that start a term, or that continue one after the last of n tokens.
void rc_raise_logits(const rc_bias *bias, const whisper_token_data *tokens, int n, float *logits);

#endif
