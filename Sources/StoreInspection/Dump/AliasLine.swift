package import RecordStore

/// One alias of a dump: the id of a record that was joined to another, `{"alias":"<id>","of":"<id>"}`.
package struct AliasLine: Hashable, Sendable {
  package var alias: RecordID
  package var canonical: RecordID

  package init(alias: RecordID, of canonical: RecordID) {
    self.alias = alias
    self.canonical = canonical
  }

  package var json: JSON {
    ["alias": .string(alias.description), "of": .string(canonical.description)]
  }

  /// Nil where the line is no alias; throws where it is a wrong one.
  package init?(json: JSON, line: Int) throws(InspectionError) {
    guard let alias = json["alias"] else { return nil }
    guard let alias = alias.stringValue.flatMap({ RecordID($0) }),
      let canonical = json["of"]?.stringValue.flatMap({ RecordID($0) }), canonical < alias
    else {
      throw InspectionError(
        .malformedLine, "line \(line) is no alias of a smaller id; correct the line")
    }
    self.init(alias: alias, of: canonical)
  }
}
