import CLMDB
import ForeignLayouts

/// The number under which LMDB knows a process in its reader table, and by whose lock others tell that the process
/// lives.
///
/// LMDB takes the process id. Two processes in containers of their own can both be process 1, and a container that is
/// started anew gives the id of the process that died to the next one: LMDB then refuses the second process, and takes
/// a dead reader's slot for its own. So where the id is taken, the environment gets another number, beyond all process
/// ids. LMDB has no call for that, so the number is changed where LMDB keeps it.
///
/// A bet on LMDB (``ForeignLayout/readers``): the first fields of its structure are three descriptors, flags, two
/// sizes of pages, the maximum of readers, how many to clear, two counts of databases, and the process id (`mdb.c` of
/// LMDB 0.9, struct `MDB_env`). Any later LMDB may end that. ``isKnown`` tests it before the first use. Where it is
/// not so, and where the bet is turned off, a taken id is an error, as LMDB has it: there is no other way.
///
/// A pointer file: it reads and writes LMDB's own structure.
enum ReaderNumber {
  private static let readersField = 6
  private static let databasesField = 9
  private static let processField = 10
  /// LMDB counts two databases of its own.
  private static let ownDatabases: Int32 = 2
  /// Linux gives no process a greater id.
  private static let greatestProcessID: Int32 = 1 << 22

  struct Slot {
    var number: Int32
    var transactionID: UInt64?
  }

  /// Whether LMDB's structure is as described.
  static let isKnown: Bool = {
    if ForeignLayout.readers.isOn { ForeignLayout.readers.settle(agrees(fields)) }
    return ForeignLayout.readers.isOn
  }()

  /// Whether what LMDB was told of an environment, and the process id, stand in the fields that are read.
  static func agrees(_ fields: (OpaquePointer) -> UnsafeMutablePointer<Int32>) -> Bool {
    let (readers, databases): (Int32, Int32) = (31_337, 23_111)
    var environment: OpaquePointer?
    guard mdb_env_create(&environment) == 0, let environment else { return false }
    defer { mdb_env_close(environment) }
    guard mdb_env_set_maxreaders(environment, UInt32(readers)) == 0,
      mdb_env_set_maxdbs(environment, UInt32(databases)) == 0
    else { return false }
    let found = fields(environment)
    return found[readersField] == readers && found[databasesField] == databases + ownDatabases
      && found[processField] == getpid()
  }

  /// Gives an environment that was opened, and has had no transaction yet, a number of its own where its process id is
  /// in the reader table: this process has no slots, so that is the slot of another process, or of a dead one.
  static func settle(_ environment: OpaquePointer) throws {
    let own = getpid()
    if try slots(of: environment).contains(where: { $0.number == own }) { try draw(environment) }
  }

  /// Gives an environment another number than it has; false where that is not possible.
  @discardableResult
  static func draw(_ environment: OpaquePointer) throws -> Bool {
    guard isKnown else { return false }
    let taken = Set(try slots(of: environment).map(\.number))
    var number: Int32
    repeat { number = Int32.random(in: greatestProcessID + 1 ... .max) } while taken.contains(number)
    fields(environment)[processField] = number
    return true
  }

  /// The slots that are taken.
  static func slots(of environment: OpaquePointer) throws -> [Slot] {
    let list = SlotList()
    // LMDB prints the table line by line: process, thread, transaction or `-`.
    let code = mdb_reader_list(
      environment,
      { text, list in
        guard let text, let list else { return 0 }
        Unmanaged<SlotList>.fromOpaque(list).takeUnretainedValue().add(String(cString: text))
        return 0
      }, Unmanaged.passUnretained(list).toOpaque())
    guard code >= 0 else { throw LMDBError(returnCode: code, operation: "list the readers") }
    return list.slots
  }

  private final class SlotList {
    var slots: [Slot] = []

    func add(_ line: String) {
      let parts = line.split(whereSeparator: \.isWhitespace)
      // The first line is a title.
      guard parts.count == 3, let number = Int32(parts[0]) else { return }
      slots.append(Slot(number: number, transactionID: UInt64(parts[2])))
    }
  }

  static func fields(_ environment: OpaquePointer) -> UnsafeMutablePointer<Int32> {
    UnsafeMutableRawPointer(environment).assumingMemoryBound(to: Int32.self)
  }
}
