import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Stores whose folders were moved while they were open.
struct MovedStoreTests {
  /// It shared what was open by the former path, so that each of its saves was refused.
  @Test func `a store that is open by a path where another is now is not opened for writing by its new one`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let (former, present) = (folder.appendingPathComponent("a.store"), folder.appendingPathComponent("b.store"))
    func configuration(_ url: URL, isReadOnly: Bool = false) -> StoreConfiguration {
      StoreConfiguration(url: url, isReadOnly: isReadOnly, durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
    }
    var store: RecordStore? = try RecordStore.open(configuration(former), schema: .fixture)
    weak let core = store?.core
    try FileManager.default.moveItem(at: former, to: present)
    let other = try RecordStore.open(configuration(former), schema: .fixture)
    #expect(other.storeID != store?.storeID)
    let error = #expect(throws: StoreError.self) { _ = try RecordStore.open(configuration(present)) }
    #expect(error?.code == .busy)
    for part in [former.path, present.path, "close"] {
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
    #expect(try RecordStore.open(configuration(present, isReadOnly: true)).storeID == store?.storeID)
    store = nil
    while core != nil { sched_yield() }
    let opened = try RecordStore.open(configuration(present))
    _ = try opened.commit(SaveRequest(attachments: [.init(key: [1], value: [1])]))
  }
}
