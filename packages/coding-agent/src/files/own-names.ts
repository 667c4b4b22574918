/** The name of a temporary file that a commit has next to its target. Nothing else has this form, and no answer or search shows one. */
export const OWN_TEMPORARY: RegExp = /^\.cairn-[\da-f]{16}\.tmp$/u;
