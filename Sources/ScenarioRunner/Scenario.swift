import RecordStore

/// One scenario file as a value: what several replicas do, and what they must agree on.
struct Scenario: Hashable, Sendable {
  var id: String
  var title: String
  var schema: StoreSchema
  /// To-one relationships whose other side is a list in an order of its own, by entity.
  var ordered: [String: Set<String>] = [:]
  var replicas: [String]
  var steps: [Step]
  var expect: Expectations
  /// The orders of delivery in which a last exchange is tried; empty: the steps are all.
  var orders: [[String]]
  /// Whether the last exchange is tried file by file, too; see ``FileOrders``.
  var permutesFiles = false
  /// Whether a store refuses an update of a record that it never heard of, as apps know it; else it waits.
  var refusesUnknownUpdates = false
  /// By replica: from so many bytes on its saves put values of files beside the store.
  var largeValueBytes: [String: Int] = [:]
  /// The replicas to which large values come only with ``Action/loadValues(on:)``.
  var valuesOnDemand: Set<String> = []
  /// Whether the exchange folders are encrypted with a family's key, which all devices have in the beginning.
  var isSealed = false
  /// Whether that family is a shared one, in which each device signs what it writes.
  var isShared = false
}

extension Scenario {
  struct Step: Hashable, Sendable {
    var action: Action
    /// The code of the error that the step must end with.
    var fails: String?
    /// The counts that reports of the step's imports must have, by replica or for the only one.
    var report: [String: Int]?
    /// Such as `step 3`.
    var place: String
  }

  enum Action: Hashable, Sendable {
    /// Without a time: when the step before was.
    case save(on: String, at: UInt64?, changes: [Change], once: Once? = nil)
    case sync([String])
    case export(String)
    case importing(String)
    case deliver(from: String, to: String, files: [Int]?, of: FileKind = .changeSet)
    case fault(Fault, of: FileKind = .changeSet, from: String, to: String, file: Int)
    case wipeFolder(String)
    /// Closes the store and opens it again, as after a relaunch.
    case reopen(String)
    /// `name` becomes a copy of another replica, store and folder.
    case clone(from: String, name: String)
    /// Keeps the store as it is, for a later ``restore(_:)``.
    case backup(String)
    case restore(String)
    /// Copies files that are not there yet, whatever they are, as a tool that moves folders does.
    case copy(from: String, to: String)
    /// The exchange folder is an empty mount point until it is mounted again.
    case unmount(String)
    case mount(String)
    /// Keeps the exchange folder as it is, for a later ``rollBackFolder(_:)``.
    case keepFolder(String)
    case rollBackFolder(String)
    /// The process dies at a point of its work, counted from 0, and is started again; nil: at every point in turn.
    case interrupt(Work, on: String, at: Int?)
    case clock(on: String, Clock)
    case upgrade(on: String, schema: StoreSchema)
    case check(Expectations)
    /// Re-applies the value that was lost in the conflict log, as a new edit.
    case restoreConflict(on: String, at: UInt64?, conflict: ExpectedConflict)
    /// Forgets dead records that nobody can bring back any more.
    case collect(on: String)
    /// Brings all large values that a replica awaits and its folder has.
    case loadValues(on: String)
    /// Removes the files of large values that nothing in a store names.
    case collectValues(on: String)
    /// The daily maintenance, with history that is trimmed as soon as everybody has it and no files joined.
    case maintain(on: String)
    /// Writes everything that is known into the folder.
    case snapshot(on: String)
    /// Makes the replica's part of the folder small.
    case compact(on: String)
    case removeChunk(Int, from: String, to: String)
    /// All change sets of an author are gone from a folder.
    case removeStream(from: String, to: String)
    /// Says that a replica is gone.
    case retire(String, on: String)
    /// Gives a device the family's present key, or takes it.
    case key(KeyState, on: String)
    /// A device replaces the family's key; the others have the new one once it is given to them, a forgotten one never.
    case rotate(on: String, forgetting: String?)
    /// The files that were kept of the exchange folder lie there again, over what is there.
    case replay(String)
  }

  /// How a clock is wrong from here on; nil: as it was.
  struct Clock: Hashable, Sendable {
    var offsetMilliseconds: Int64?
    /// A clock that is stuck stands where it is, whatever the steps say.
    var isStuck: Bool?
  }

  enum Work: String, Hashable, Sendable, CaseIterable {
    case export, importing = "import", sync, collect, compact, snapshot
  }

  enum KeyState: String, Hashable, Sendable, CaseIterable {
    case given, missing
    /// A key of another family in its place.
    case foreign
  }

  /// A save that happens once for its key.
  struct Once: Hashable, Sendable {
    var key: String
    /// Whether it must have its effect now, or must not; nil: either.
    var isPerformed: Bool?
  }

  /// A kind of file in an exchange folder.
  enum FileKind: String, Hashable, Sendable, CaseIterable {
    case changeSet, head, manifest, chunk
    /// A large value.
    case value
    /// The file that says whose folder it is; all replicas' are the same.
    case marker
  }

  /// A fault of a file in the receiver's folder.
  enum Fault: Hashable, Sendable {
    /// To so many bytes, or else to a part of the file.
    case truncate(percent: Int, bytes: Int?)
    /// Every bit of the byte, or one.
    case corrupt(byte: Int, bit: Int? = nil)
    case duplicate(NewName)
    case rename(NewName)
    case remove
    /// The file gets the content of the author's next one of the kind.
    case swap
    /// The file and the author's next one of the kind change names.
    case exchange
    /// The file is encrypted anew for the family, and the code in it is wrong.
    case forge
  }

  enum NewName: Hashable, Sendable {
    /// In place of the ending `.tcs`.
    case suffix(String)
    case whole(String)
  }

  enum Change: Hashable, Sendable {
    case insert(entity: String, name: String, values: [String: JSONValue])
    case update(name: String, values: [String: JSONValue])
    case delete(name: String)
    /// Gives a record its place in an ordered relationship; nil: the only one of its entity.
    case place(name: String, relationship: String?, at: Place)
    case link(name: String, relationship: String, other: String, isLinked: Bool)
  }

  enum Place: Hashable, Sendable {
    case before(String)
    case after(String)
    case first
    case last
  }

  struct Expectations: Hashable, Sendable {
    var everywhere = State()
    var on: [String: State] = [:]
  }

  struct State: Hashable, Sendable {
    /// By entity: all its visible records.
    var records: [String: [ExpectedRecord]] = [:]
    /// By entity: records that are known and not visible, among others.
    var hidden: [String: [ExpectedRecord]] = [:]
    /// By entity: what registers hold, whether their records are visible or not.
    var registers: [String: [ExpectedRecord]] = [:]
    /// By entity: records of which nothing is known (any more).
    var forgotten: [String: [String]] = [:]
    /// By entity: how many records are visible.
    var count: [String: Int] = [:]
    /// By entity and field, such as `Grant.amount`: the sum over all visible records.
    var sum: [String: JSONValue] = [:]
    /// The whole conflict log; nil: whatever it says.
    var conflicts: [ExpectedConflict]?

    var isEmpty: Bool {
      records.isEmpty && hidden.isEmpty && registers.isEmpty && forgotten.isEmpty && count.isEmpty && sum.isEmpty
        && conflicts == nil
    }
  }

  struct ExpectedRecord: Hashable, Sendable {
    /// Empty: whichever record has the values.
    var name: String
    var values: [String: JSONValue]
  }

  struct ExpectedConflict: Hashable, Sendable {
    var record: String
    var kind: String?
    var field: String?
    var lost: JSONValue?
    var won: JSONValue?
  }
}
