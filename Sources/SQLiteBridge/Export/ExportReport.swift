/// The outcome of an export.
public struct ExportReport: Hashable, Sendable {
  /// The records of one entity, or the links of one many-to-many relationship.
  public struct Part: Hashable, Sendable {
    /// The entity's name, or the relationship's as `Entity.relationship`.
    public var name: String
    /// The table or file.
    public var target: String
    /// How many rows were written.
    public var rowCount: Int

    /// Whether the rows are links of a many-to-many relationship.
    public var holdsLinks: Bool

    /// Creates a part from its members.
    public init(name: String, target: String, rowCount: Int, holdsLinks: Bool = false) {
      (self.name, self.target, self.rowCount, self.holdsLinks) = (name, target, rowCount, holdsLinks)
    }
  }

  /// The tables or files that were written, entities first.
  public var parts: [Part]
  /// Sentences about all that the file has in another form or not at all.
  public var notes: [String]

  /// How many records were written, links left aside.
  public var recordCount: Int { parts.filter { !$0.holdsLinks }.reduce(0) { $0 + $1.rowCount } }

  /// Creates a report from its parts.
  public init(parts: [Part] = [], notes: [String] = []) { (self.parts, self.notes) = (parts, notes) }
}
