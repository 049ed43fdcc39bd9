/// One installation's stream of writes. Minted at random when a store is created, copied or restored.
public struct ReplicaID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible, LosslessStringConvertible {
  public let value: UInt64

  @inlinable
  public init(_ value: UInt64) { self.value = value }

  public init?(_ description: String) {
    guard description.utf8.count == 16, let value = UInt64(description, radix: 16) else { return nil }
    self.value = value
  }

  @inlinable
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.value < right.value }

  /// Sixteen lower-case hexadecimal digits.
  public var description: String { value.hexadecimal }
}

/// The time of one transaction by the hybrid logical clock, totally ordered across replicas.
///
/// Compared as (epoch, wall milliseconds, counter, replica). ``zero`` is below every real stamp; it is
/// the stamp of defaults, which therefore never beat a write.
public struct Stamp: Hashable, Comparable, Sendable {
  /// Epoch in the upper 16 bits, milliseconds since 1970 in the lower 48.
  public let time: UInt64
  public let counter: UInt16
  public let replica: ReplicaID

  public static let byteCount = 18
  public static let zero = Stamp(time: 0, counter: 0, replica: ReplicaID(0))
  public static let maximumWallMilliseconds: UInt64 = (1 << 48) - 1

  @inlinable
  public init(time: UInt64, counter: UInt16, replica: ReplicaID) {
    self.time = time
    self.counter = counter
    self.replica = replica
  }

  @inlinable
  public init(epoch: UInt16, wallMilliseconds: UInt64, counter: UInt16, replica: ReplicaID) {
    self.init(
      time: UInt64(epoch) << 48 | min(wallMilliseconds, Stamp.maximumWallMilliseconds),
      counter: counter, replica: replica)
  }

  @inlinable public var epoch: UInt16 { UInt16(truncatingIfNeeded: time >> 48) }
  @inlinable public var wallMilliseconds: UInt64 { time & Stamp.maximumWallMilliseconds }

  @inlinable
  public static func < (left: Stamp, right: Stamp) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.replica < right.replica
  }
}

extension Stamp {
  /// Stamps of epochs up to this one may come from anywhere: above them lies room for as many again.
  ///
  /// An epoch costs a clock that was wrong by more than a day, so no family gets near.
  package static let greatestFreeEpoch: UInt16 = .max / 2

  /// Whether a clock that has seen `seen` may take note of this stamp.
  ///
  /// A clock leads at most one epoch above what it has seen. So a stamp behind the free epochs is honest only if what
  /// it leads on from has been seen; and a forged one cannot take the whole range at once, from which no device could
  /// write on.
  package func isWithinReach(of seen: Stamp) -> Bool {
    epoch <= Stamp.greatestFreeEpoch || UInt32(epoch) <= UInt32(seen.epoch) + 1
  }
}

/// The name of one transaction: the replica that made it and its place, from 1, in that replica's stream.
public struct Dot: Hashable, Comparable, Sendable, Codable {
  public let replica: ReplicaID
  public let sequence: UInt64

  /// No stream gets longer: a transaction each millisecond for 35 years. Files that speak of more are refused, so that
  /// neither the next number nor a sum over all replicas that a file can name overflows.
  package static let greatestSequence: UInt64 = (1 << 40) - 1

  @inlinable
  public init(replica: ReplicaID, sequence: UInt64) {
    self.replica = replica
    self.sequence = sequence
  }

  public static func < (left: Dot, right: Dot) -> Bool {
    left.replica != right.replica ? left.replica < right.replica : left.sequence < right.sequence
  }
}

/// What has been seen of each replica: all its transactions up to a sequence number, without a gap.
///
/// The stamp of the last one stands beside its number. A replica's stamps rise with its sequence, so
/// "has this value been seen" is a comparison of stamps and needs no look-up of dots.
public struct VersionVector: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var sequence: UInt64
    public var stamp: Stamp
    public init(sequence: UInt64, stamp: Stamp) {
      self.sequence = sequence
      self.stamp = stamp
    }
  }
  public var entries: [ReplicaID: Entry]

  public init(entries: [ReplicaID: Entry] = [:]) { self.entries = entries }

  public func sequence(of replica: ReplicaID) -> UInt64 { entries[replica]?.sequence ?? 0 }

  /// Whether all that somebody else has seen was seen, under the same stamps.
  func covers(_ other: VersionVector) -> Bool {
    other.entries.allSatisfy { replica, entry in
      entries[replica].map { $0.sequence > entry.sequence && $0.stamp > entry.stamp || $0 == entry } ?? false
    }
  }

  /// What was seen of all replicas but one.
  func without(_ replica: ReplicaID) -> VersionVector {
    var others = self
    others.entries[replica] = nil
    return others
  }

  /// Whether ``without(_:)`` is `others`; costs no copy.
  func consists(of others: VersionVector, and replica: ReplicaID) -> Bool {
    others.entries[replica] == nil
      && others.entries.count == entries.count - (entries[replica] == nil ? 0 : 1)
      && others.entries.allSatisfy { entries[$0.key] == $0.value }
  }

  public func covers(_ dot: Dot) -> Bool { dot.sequence <= sequence(of: dot.replica) }
  /// Whether the transaction with this stamp was seen. ``Stamp/zero`` always was.
  public func covers(_ stamp: Stamp) -> Bool {
    stamp == .zero || (entries[stamp.replica].map { stamp <= $0.stamp } ?? false)
  }
}
