bar();
