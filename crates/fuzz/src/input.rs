//! Inputs from the bytes of a fuzzer.

/// Reads an input from bytes. When they are used up, everything is 0 or empty.
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        byte
    }

    fn bytes(&mut self, max_length: usize) -> &'a [u8] {
        let length = (usize::from(self.byte()) % (max_length + 1)).min(self.rest.len());
        let (bytes, rest) = self.rest.split_at(length);
        self.rest = rest;
        bytes
    }

    /// A text of these characters, which are ASCII.
    pub fn text(&mut self, characters: &[u8], max_length: usize) -> String {
        let bytes = self.bytes(max_length);
        bytes.iter().map(|&byte| char::from(characters[usize::from(byte) % characters.len()])).collect()
    }

    /// Bytes: most are these, and an eighth are any.
    pub fn mixed(&mut self, usual: &[u8], max_length: usize) -> Vec<u8> {
        let bytes = self.bytes(max_length);
        let pick = |&byte: &u8| if byte < 0xE0 { usual[usize::from(byte) % usual.len()] } else { byte };
        bytes.iter().map(pick).collect()
    }

    /// Paths as a scan lists them: sorted, without an empty component, each once.
    pub fn paths(&mut self, characters: &[u8], max_count: usize) -> Vec<Vec<u8>> {
        let count = usize::from(self.byte()) % (max_count + 1);
        let mut paths: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let depth = 1 + usize::from(self.byte()) % 3;
                let names = (0..depth).map(|_| self.mixed(characters, 8));
                let names = names.map(|name| name.into_iter().filter(|byte| !b"/\0".contains(byte)).collect());
                names.filter(|name: &Vec<u8>| !name.is_empty()).collect::<Vec<_>>().join(&b'/')
            })
            .filter(|path| !path.is_empty())
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }
}
