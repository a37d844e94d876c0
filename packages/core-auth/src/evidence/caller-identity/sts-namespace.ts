/** The XML namespace of every answer of STS (decision R10). */
export const STS_NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
