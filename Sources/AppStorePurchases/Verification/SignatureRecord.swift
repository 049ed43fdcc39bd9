/// The signed text that a value was read from, and what the verifier found. Two values that say the same are equal,
/// whatever their signatures: the text is evidence, not part of the value.
package struct SignatureRecord: Hashable, Sendable {
  package let document: SignedDocument
  package let failure: VerificationFailure?

  package init(_ document: SignedDocument, failure: VerificationFailure? = nil) {
    self.document = document
    self.failure = failure
  }

  package static func == (_: SignatureRecord, _: SignatureRecord) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}
