package import RecordStore

/// A replica's vector from one of its transactions on, in a dump: `{"context":{"since":"<stamp>","vector":{…}}}`.
///
/// Whether two records with one unique value are one hangs on whether their authors knew of each other.
package struct ContextLine: Hashable, Sendable {
  package var context: CausalContext

  package init(_ context: CausalContext) { self.context = context }

  package var json: JSON {
    ["context": ["since": .string(context.since.text), "vector": context.context.json]]
  }

  /// Nil where the line is no context; throws where it is a wrong one.
  package init?(json: JSON, line: Int) throws(InspectionError) {
    guard let context = json["context"] else { return nil }
    guard let since = context["since"]?.stringValue.flatMap({ Stamp(text: $0) }),
      let vector = context["vector"].flatMap({ VersionVector(json: $0) })
    else {
      throw InspectionError(
        .malformedLine, "line \(line) is no causal context; correct the line")
    }
    self.context = CausalContext(since: since, context: vector)
  }
}
