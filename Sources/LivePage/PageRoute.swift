package import StoreInspection

/// A question that the page asks by its name, `POST /api/<name>` with a JSON object.
package struct PageRoute: Sendable {
  package enum Kind: Sendable {
    case reading
    /// Refused while the page is read-only.
    case writing
  }

  package let name: String
  package let kind: Kind
  /// Runs on a thread that may block. What it throws, but a ``PageRefusal``, is a mistake of this program.
  package let answer: @Sendable (JSON) throws -> JSON

  package init(_ name: String, _ kind: Kind = .reading, answer: @escaping @Sendable (JSON) throws -> JSON) {
    (self.name, self.kind, self.answer) = (name, kind, answer)
  }
}
