import AppStoreTesting
import AstroSvitla
import Foundation
import Tandem
import Testing

/// Devices of one person who is signed in to the App Store with several accounts.
@Suite struct OtherAccountTests {
  /// A phone that was not able to tell the App Store of a purchase.
  private func untold(_ shop: Shop) async throws -> Device {
    try await shop.appStore.addAccount("other")
    let phone = try await shop.device("phone")
    try await shop.appStore.simulate(.fails(.networkError), on: .finish)
    _ = try await phone.purchases.buy(.packOfFive)
    return phone
  }

  private func expect(_ device: Device, isTold: Bool) async throws {
    #expect(try device.count(FinishNote.self) == (isTold ? 0 : 1), "\(device.name)")
    #expect(try await device.history.purchases().map { $0.finishedAt != nil } == [isTold], "\(device.name)")
    #expect(try await device.balance().available == 5, "\(device.name)")
  }

  /// The purchase is not among what is unfinished for the other account, which was taken for the App Store's word that
  /// it is finished.
  @Test func `a device of another account leaves the note of a purchase to those of its account`() async throws {
    try await Shop.open { shop in
      let phone = try await untold(shop)
      let laptop = try await shop.device("laptop", account: "other")
      try await shop.synchronize("phone", "laptop")
      _ = try await laptop.purchases.buy(.single)
      #expect(try await laptop.purchases.launch(listens: false).notesDropped == 0)
      try await shop.synchronize("phone", "laptop")
      #expect(try phone.count(FinishNote.self) == 1)
      #expect(try await phone.history.purchases().count { $0.finishedAt == nil } == 1)
      #expect(try await phone.purchases.launch(listens: false).balance.available == 6)
      try await shop.synchronize("phone", "laptop")
      for device in [phone, laptop] { #expect(try device.count(FinishNote.self) == 0) }
      #expect(try await shop.appStore.entries().allSatisfy { $0.isFinished })
    }
  }

  @Test func `a device that is signed in with another account tells of a purchase when the first one is back`()
    async throws
  {
    try await Shop.open { shop in
      try await expect(untold(shop), isTold: false)
      let changed = try await shop.device("phone", account: "other")
      #expect(try await changed.purchases.launch(listens: false).notesDropped == 0)
      try await expect(changed, isTold: false)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [false])
      let back = try await shop.device("phone")
      _ = try await back.purchases.launch(listens: false)
      try await expect(back, isTold: true)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
    }
  }

  @Test func `another device of the account drops the note of a purchase whose finish had no answer`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(.losesAnswer(.networkError), on: .finish)
      _ = try await phone.purchases.buy(.packOfFive)
      try await expect(phone, isTold: false)
      let laptop = try await shop.device("laptop")
      try await shop.synchronize("phone", "laptop")
      #expect(try await laptop.purchases.launch(listens: false).notesDropped == 1)
      try await shop.synchronize("phone", "laptop")
      for device in [phone, laptop] { try await expect(device, isTold: true) }
    }
  }
}
