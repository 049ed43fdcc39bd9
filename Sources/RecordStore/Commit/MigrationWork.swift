/// The changes of records under another schema, which are nobody's edit. Its updates set values and give no life, so a
/// record that another device deletes stays deleted.
package struct MigrationWork: Hashable, Sendable {
  var save: LocalWork
  /// Fields that the migration brought, and when it began. Values that other devices have written to them since they
  /// migrated stay.
  var newFields: NewFields?
  /// Records that are given life, after the changes.
  var touches: [Touch] = []
  /// References that let go of their targets, after the changes.
  var releases: [Release] = []
  /// Whether deletes leave alone what the deleted records refer to, under rules of cascade and deny, too: another
  /// record takes it over.
  var leavesTargets = false

  init(_ save: LocalWork = LocalWork()) { self.save = save }

  /// References of a record that read nil and become nil.
  struct Release: Hashable, Sendable {
    let key: RecordKey
    let ordinals: [Int]
  }

  /// A record that is given life.
  struct Touch: Hashable, Sendable {
    var key: RecordKey
    /// The fields whose values it says again, as the newest.
    var saysAgain: [Int] = []
    /// Deleted records that will be one with it. Records that went with them stay away, and references to them let go.
    var deletedEquals: [RecordID] = []
    init(_ key: RecordKey) { self.key = key }
  }
}
