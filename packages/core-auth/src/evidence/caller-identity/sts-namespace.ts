/** The XML namespace of every answer of STS (STS-11). */
export const STS_NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
