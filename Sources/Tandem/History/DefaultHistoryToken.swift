/// A place in the history of a container's stores.
///
/// ```swift
/// func encoded(_ token: some HistoryToken) throws -> Data { try JSONEncoder().encode(token) }
/// let kept = try encoded(transactions[0].token)
/// let last = try JSONDecoder().decode(DefaultHistoryToken.self, from: kept)
/// let news = try context.fetchHistory(
///   HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
/// ```
///
/// Good on this device, over launches and processes, for the stores that it came from. The later of two tokens
/// is the greater; one that covers several stores is compared by all of them.
public struct DefaultHistoryToken: HistoryToken {
  /// By store identifier, the number of the last transaction.
  public typealias TokenType = [String: Int64]
  private let numbers: [String: Int64]

  init(_ numbers: [String: Int64]) { self.numbers = numbers }

  /// The number of the last transaction by store identifier; nil for a token from before the first.
  public var tokenValue: [String: Int64]? { numbers.isEmpty ? nil : numbers }

  /// Equal in all processes for equal tokens.
  public var id: Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for (store, number) in numbers.sorted(by: { $0.key < $1.key }) {
      for byte in Array(store.utf8) + withUnsafeBytes(of: number.littleEndian, Array.init) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    return Int(truncatingIfNeeded: hash)
  }

  /// A token that is nowhere behind another and somewhere before it is later. Where two contradict each other, which
  /// tokens of one device do not, the order is any that is total.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    let (first, second) = (left.sum, right.sum)
    if first != second { return first < second }
    return left.numbers.sorted { $0.key < $1.key }.lexicographicallyPrecedes(right.numbers.sorted { $0.key < $1.key }) {
      $0.key != $1.key ? $0.key < $1.key : $0.value < $1.value
    }
  }

  private var sum: Int64 { numbers.values.reduce(0) { $0 &+ $1 } }

  /// The number reached in a store; nil if the token says nothing of it.
  func number(in store: String) -> UInt64? { numbers[store].map { UInt64(clamping: $0) } }

  /// This place, and in one store another, be it an earlier one.
  func moved(to number: UInt64, in store: String) -> DefaultHistoryToken {
    DefaultHistoryToken(numbers.merging([store: Int64(clamping: number)]) { $1 })
  }

  /// This place, and in one store at least another.
  func reaching(_ number: UInt64, in store: String) -> DefaultHistoryToken {
    reaching(DefaultHistoryToken([store: Int64(clamping: number)]))
  }

  /// The later place in each store that one of them names.
  func reaching(_ other: DefaultHistoryToken) -> DefaultHistoryToken {
    DefaultHistoryToken(numbers.merging(other.numbers) { max($0, $1) })
  }
}
