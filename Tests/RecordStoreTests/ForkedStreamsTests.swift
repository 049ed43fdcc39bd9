import RecordStore
import TestSupport
import Testing

/// A stream that three stores wrote under one id, as vectors tell of it: all share what came up to 5; two parted there,
/// and of the first, after 7, a third.
struct ForkedStreamsTests {
  private let stream = ReplicaID(7)
  private let first = ReplicaID(8)
  private let second = ReplicaID(9)
  /// Goes on from ``first``.
  private let third = ReplicaID(10)

  private func stamp(_ time: UInt64, _ replica: ReplicaID) -> Stamp { Stamp(time: time, counter: 0, replica: replica) }

  private func vector(_ last: Stamp) -> VersionVector {
    VersionVector(entries: [last.replica: .init(sequence: last.time, stamp: last)])
  }

  private func moment(_ time: UInt64, of branch: ReplicaID) -> StoreAttachment {
    var key = ForkedStreams.momentPrefix
    for word in [stream.value, branch.value, time] { withUnsafeBytes(of: word.bigEndian) { key += $0 } }
    return StoreAttachment(key: key + [0, 0], value: [])
  }

  private func forks(firstAndSecondMeetAt common: [UInt64] = []) throws -> ForkedStreams {
    try withTemporaryStore { store in
      var attachments = [
        ForkedStreams.attachment(stream: stream, branch: first, lastShared: stamp(5, stream)),
        ForkedStreams.attachment(stream: stream, branch: second, lastShared: stamp(5, stream)),
        ForkedStreams.attachment(stream: stream, branch: third, lastShared: stamp(7, stream)),
        moment(7, of: first), moment(8, of: second), moment(9, of: third),
      ]
      attachments += common.flatMap { [moment($0, of: first), moment($0, of: second)] }
      _ = try store.commit(SaveRequest(attachments: attachments))
      return try store.read { try $0.forkedStreams }
    }
  }

  @Test func `an author that has seen anything of a branch has seen what all share`() throws {
    let forks = try forks()
    for seen in [stamp(9, stream), stamp(7, first), stamp(8, second), stamp(9, third)] {
      #expect(forks.covers(vector(seen), stamp(5, stream)))
      #expect(forks.covers(vector(seen), stamp(1, stream)))
    }
    #expect(!forks.covers(vector(stamp(4, stream)), stamp(5, stream)))
    #expect(!forks.covers(VersionVector(), stamp(1, stream)))
    #expect(forks.covers(VersionVector(), .zero))
  }

  @Test func `the stream's id above that means one branch and what it goes on from, and no other`() throws {
    let forks = try forks()
    for seen in [stamp(9, stream), stamp(9, third)] {
      #expect(forks.covers(vector(seen), stamp(7, stream)))
      #expect(forks.covers(vector(seen), stamp(7, first)))
      #expect(forks.covers(vector(seen), stamp(9, stream)))
      #expect(!forks.covers(vector(seen), stamp(8, stream)))
      #expect(!forks.covers(vector(seen), stamp(8, second)))
    }
    for seen in [stamp(8, stream), stamp(8, second)] {
      #expect(forks.covers(vector(seen), stamp(8, stream)))
      #expect(forks.covers(vector(seen), stamp(8, second)))
      #expect(!forks.covers(vector(seen), stamp(7, stream)))
    }
    #expect(!forks.covers(vector(stamp(7, stream)), stamp(9, stream)))
    #expect(!forks.covers(vector(stamp(7, first)), stamp(9, third)))
  }

  @Test func `where two wrote at one moment their id alone does not say whose transaction was seen last`() throws {
    let forks = try forks(firstAndSecondMeetAt: [6])
    #expect(!forks.covers(vector(stamp(6, stream)), stamp(6, stream)))
    #expect(forks.covers(vector(stamp(6, stream)), stamp(5, stream)))
    #expect(forks.covers(vector(stamp(6, first)), stamp(6, stream)))
    #expect(!forks.covers(vector(stamp(6, first)), stamp(6, second)))
    #expect(forks.covers(vector(stamp(9, stream)), stamp(6, stream)))
  }

  @Test func `a branch that parted from another knew it, and two that parted from one place did not know each other`()
    throws
  {
    let forks = try forks()
    #expect(!forks.areApart(stamp(7, stream), stamp(9, stream)))
    #expect(forks.areApart(stamp(7, stream), stamp(8, stream)))
    #expect(forks.areApart(stamp(8, stream), stamp(9, stream)))
    #expect(!forks.areApart(stamp(4, stream), stamp(8, stream)))
  }

  @Test func `a stream that is not forked is as its vector says`() throws {
    let (forks, other) = (try forks(), ReplicaID(20))
    #expect(forks.covers(vector(stamp(3, other)), stamp(3, other)))
    #expect(!forks.covers(vector(stamp(3, other)), stamp(4, other)))
    #expect(!forks.covers(vector(stamp(9, stream)), stamp(1, other)))
  }
}
