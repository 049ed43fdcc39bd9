import Testing

@Suite struct ReadmeTests {
  @Test func `the example of the README does what it says`() throws {
    try withDevice { device in
      let lines = try planTrips(device: device.url)
      #expect(lines == ["Alps: 2 stops"])
    }
  }
}
