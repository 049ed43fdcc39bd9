import Synchronization

/// A bet on how another library lays out its memory, which no interface of that library promises.
///
/// Each bet buys speed or memory, and nothing else:
///
/// 1. The code that reads a foreign layout lies in a folder `ForeignLayouts` of its module. Its documentation says
///    what is bet, where the layout was read, and what would end it.
/// 2. A self-test compares the fast reading with what the library's own interface says before the first result of the
///    reading is used. A failure turns the bet off for the rest of the process and says so on standard error.
/// 3. The environment variable `TANDEM_FOREIGN_LAYOUTS` turns bets off: `off` all of them, a list such as
///    `pages,predicates` those that it names. It is read once, at the first question.
/// 4. Without a bet a slower way, or one that takes more memory, gives the same results by public interfaces alone.
///    Two bets have no such way, because no interface says what they read: ``Name/codingKeys`` and ``Name/readers``.
///    Without these less is possible, which their documentation says.
///
/// Asking costs two loads of memory.
package final class ForeignLayout: Sendable {
  package enum Name: String, CaseIterable, Sendable {
    /// The pages of LMDB's trees, as they lie in the memory map.
    case pages
    /// The members of LMDB's environment, one of which says under which number a process reads.
    case readers
    /// The members of LMDB's write transaction, one of which says how many more pages it may hold in memory.
    case dirtyPages
    /// The members of Foundation's `Decimal`.
    case decimals
    /// The word in which Observation keeps, for each thread, what is tracked.
    case observation
    /// The places of key paths and constants in Foundation's predicate expressions.
    case predicates
    /// The bits of the first case of a `CodingKey` enumeration.
    case codingKeys
    /// The reference at the beginning of a value of a protocol of classes.
    case references
  }

  package static let pages = ForeignLayout(.pages)
  package static let readers = ForeignLayout(.readers)
  package static let dirtyPages = ForeignLayout(.dirtyPages)
  package static let decimals = ForeignLayout(.decimals)
  package static let observation = ForeignLayout(.observation)
  package static let predicates = ForeignLayout(.predicates)
  package static let codingKeys = ForeignLayout(.codingKeys)
  package static let references = ForeignLayout(.references)

  package let name: Name
  private let isRead: Atomic<Bool>

  private init(_ name: Name) {
    self.name = name
    isRead = Atomic(!LayoutSwitch.process.off.contains(name))
  }

  /// False where the environment variable turned the bet off, or a self-test failed.
  package var isOn: Bool { isRead.load(ordering: .relaxed) }

  /// Takes the outcome of a self-test: a failure turns the bet off, for the rest of the process.
  package func settle(_ hasPassed: Bool) {
    guard !hasPassed, isRead.exchange(false, ordering: .relaxed) else { return }
    LayoutSwitch.say(
      "the memory layout behind '\(name.rawValue)' is not the expected one, so this process does not read it; "
        + "\(LayoutSwitch.variable)=\(name.rawValue) asks for that from the beginning")
  }
}
